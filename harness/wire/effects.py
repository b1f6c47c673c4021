"""What calls did to the world, without secrets: as it is recorded, and as today's is held against that."""

import msgspec

from harness.transcript import Change, Effects
from harness.wire.redact import Redactor


def clean_effects(effects: Effects, redactor: Redactor) -> Effects:
    """The same effects, what stands in rows, their keys and their tables' names scrubbed."""
    return msgspec.structs.replace(effects, changes=[_clean(one, redactor) for one in effects.changes])


def _clean(change: Change, redactor: Redactor) -> Change:
    key, before, after = (redactor.value(one) for one in (change.key, change.before, change.after))
    return Change(redactor.text(change.call), redactor.text(change.table), key, before, after)
