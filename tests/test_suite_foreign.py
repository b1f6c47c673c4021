"""A suite whose world goes elsewhere, prints and ends the process, several trials at once."""

import json
from pathlib import Path

from recording_project import WORLD, start_recording
from suite_project import RUN, SuiteProject, provider

HEAD, CALL, BODY = WORLD.partition("def call(state, name, arguments):\n")
ROAMS = f"import os, sys; os.chdir('/'); print('foreign')\n{HEAD}{CALL}    os.chdir('/'); print('foreign')\n{BODY}"


def recorded(project):
    with provider() as server:
        process = start_recording(
            project.root, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN, "--concurrency", "4", "--json"
        )
        out, err = process.communicate()
    return process.returncode, out, err


def test_a_world_that_goes_elsewhere_is_recorded_where_the_command_was_called(tmp_path):
    project = SuiteProject(tmp_path)
    project.write("world.py", ROAMS)

    code, out, err = recorded(project)

    assert code == 0, err
    assert json.loads(out)
    assert len(project.names()) == 7
    assert {run.result for at in range(1, 7) for run in project.recording(f"fc-d1-{at:03}").tools} == {
        '{"place":"Oslo"}'
    }
    assert not Path("/recordings").exists()


def test_a_tool_that_ends_the_process_is_recorded_as_one_that_failed(tmp_path):
    project = SuiteProject(tmp_path)
    project.write("world.py", f"import sys\n{HEAD}{CALL}    sys.exit(0)\n{BODY}")

    code, _, err = recorded(project)

    assert code == 0, err
    failed = "tool find_parcel failed: SystemExit: 0"
    assert {run.result for at in range(1, 7) for run in project.recording(f"fc-d1-{at:03}").tools} == {failed}
