"""What to look at when a provider gave no answer: the address, the key, the model's name, the parameters."""

from harness import errors
from harness.cli.recording.endpoints import key_variable
from harness.wire.clients import Endpoint

_REFUSED_KEY = (401, 403)
_NOT_THERE = (404, 405)
_NOT_UNDERSTOOD = (400, 413, 415, 422)
_TOO_MANY = (402, 429)
_FIRST_OF_SERVER = 500


def advice_of(error: errors.UnfinishedRun, provider: str, endpoint: Endpoint, model: str) -> str:
    """One thing to check; empty where nothing is known."""
    at = endpoint.base_url
    if isinstance(error, errors.LiveCallTimeout):
        return f"check that {at} is up and not busy, or give it more time (--timeout)"
    if isinstance(error, errors.LineTooLong):
        return error.again
    if not isinstance(error, errors.LiveCallFailed):
        return ""
    status = error.status
    if status is None:
        return f"check that a server listens at {at} (--base-url)"
    if status in _REFUSED_KEY:
        variable = key_variable(provider, at)
        return f"check the key in {variable}" if variable else f"{at} is sent no key: let it need none"
    if status in _NOT_THERE:
        return f"check the model's name {model} (--model) and that {at} (--base-url) speaks {endpoint.api} (--api)"
    return _of_request(status, at, endpoint.api)


def advice_for_all(provider: str, endpoint: Endpoint, model: str) -> str:
    """What to check where every request was refused alike, for whatever reason."""
    variable = key_variable(provider, endpoint.base_url)
    key = f", the key in {variable}" if variable else ""
    return f"check the address {endpoint.base_url} (--base-url){key} and the model's name {model} (--model)"


def _of_request(status: int, at: str, api: str) -> str:
    if status in _NOT_UNDERSTOOD:
        return "check the parameters (--param, --extra-body, or params in scenario.toml)"
    if status in _TOO_MANY:
        return "check the account's limits, or wait"
    if status >= _FIRST_OF_SERVER:
        return f"{at} failed by itself: look into its log, or wait"
    return f"check that {at} (--base-url) speaks {api} (--api)"
