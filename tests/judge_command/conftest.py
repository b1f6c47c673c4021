"""A fresh place for each test of fc-judge."""

import pytest
from places import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)
