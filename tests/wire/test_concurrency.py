"""Conversations that run at once get each their own answers, in threads and in tasks."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from told_runs import Told, async_client_for, chat, client_for, completion, replay_of, told, user

URL = "https://api.example.test/v1/chat/completions"
LAKES = {"C": "30 m", "A": "10 m", "B": "20 m"}
TURNS = 4


def lakes():
    return told(*[(chat(user(f"depth of lake {lake}")), completion(depth)) for lake, depth in LAKES.items()])


def depth_of(client, lake):
    return client.post(URL, json=chat(user(f"depth of lake {lake}")))


def test_threads_get_each_their_own_answer():
    recording, wrong = lakes(), []

    with ThreadPoolExecutor(3) as pool:
        for _ in range(200):
            replay = replay_of(recording)
            client, together = client_for(replay), threading.Barrier(3)

            def ask(lake, client=client, together=together):
                together.wait()
                return depth_of(client, lake).json()["choices"][0]["message"]["content"]

            depths = dict(zip("ABC", pool.map(ask, "ABC"), strict=True))
            wrong += [depths] if depths != LAKES or replay.failures() else []

    assert wrong == []


def test_tasks_get_each_their_own_answer():
    recording, wrong = lakes(), []

    async def run():
        for _ in range(200):
            replay = replay_of(recording)
            client = async_client_for(replay)
            answers = await asyncio.gather(*(depth_of(client, lake) for lake in "ABC"))
            depths = {
                lake: one.json()["choices"][0]["message"]["content"] for lake, one in zip("ABC", answers, strict=True)
            }
            wrong.extend([depths] if depths != LAKES or replay.failures() else [])

    asyncio.run(run())

    assert wrong == []


def long_talks():
    """Eight conversations with openings of their own, recorded turn by turn in turn, that say the same in between."""
    run = Told()
    histories = [[user(f"I am guest {guest}.")] for guest in range(8)]
    for turn in range(TURNS):
        for guest, history in enumerate(histories):
            answer = {"role": "assistant", "content": "go on" if turn < TURNS - 1 else f"bye {guest}"}
            run.add(chat(*history), completion(answer))
            history += [answer, user("and then?")]
    return run.recording()


async def talk(post_json, guest):
    history = [user(f"I am guest {guest}.")]
    for _ in range(TURNS):
        answer = (await post_json(chat(*history))).json()["choices"][0]["message"]
        history += [{"role": "assistant", "content": answer["content"]}, user("and then?")]
    return history[-2]["content"]


def test_eight_conversations_at_once_never_mix_in_tasks():
    recording, wrong = long_talks(), []

    async def run():
        for _ in range(100):
            replay = replay_of(recording)
            client = async_client_for(replay)

            def post_json(body, client=client):
                return client.post(URL, json=body)

            said = await asyncio.gather(*(talk(post_json, guest) for guest in range(8)))
            wrong.extend([said] if said != [f"bye {guest}" for guest in range(8)] or replay.failures() else [])

    asyncio.run(run())

    assert wrong == []


def test_eight_conversations_at_once_never_mix_in_threads():
    recording, wrong = long_talks(), []

    with ThreadPoolExecutor(8) as pool:
        for _ in range(100):
            replay = replay_of(recording)
            client = client_for(replay)

            def converse(guest, client=client):
                async def post_json(body):
                    return client.post(URL, json=body)

                return asyncio.run(talk(post_json, guest))

            said = list(pool.map(converse, range(8)))
            wrong += [said] if said != [f"bye {guest}" for guest in range(8)] or replay.failures() else []

    assert wrong == []
