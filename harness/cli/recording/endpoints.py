"""Who is asked, where and how: provider, API, address, key and parameters, from options, scenario and environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from harness import errors
from harness.cli.environment import address_parts, is_loopback, proxy_for
from harness.cli.recording.providers import provider_of
from harness.recording import Api
from harness.scenario import Scenario
from harness.value import JsonObject, NotJsonError, checked, decode
from harness.wire.clients import Endpoint
from harness.wire.redact import Redactor

_HERE = "--base-url http://127.0.0.1:8080 (where your server listens)"
_EITHER = f"add --provider NAME --model NAME, or {_HERE} --model NAME; or write them into [model]"
# What an endpoint on this machine gets for a key: SDKs insist on one.
_NO_KEY = "none"


class Options(NamedTuple):
    """What the command line says; None where it says nothing."""

    provider: str | None = None
    api: Api | None = None
    model: str | None = None
    base_url: str | None = None
    stream: bool | None = None
    params: tuple[str, ...] = ()
    extra_body: str | None = None
    max_steps: int | None = None
    timeout: float | None = None
    retries: int | None = None
    recordings: Path = Path("recordings")
    fixtures: Path = Path("fixtures")
    output: Path | None = None
    from_divergence: bool = False


def wrong_option(sentence: str, mend: str) -> errors.WrongOption:
    """The refusal with what to do instead."""
    error = errors.WrongOption(sentence)
    error.mend = mend
    return error


def without_foreign_model(options: Options, scenario: Scenario) -> Scenario:
    """Where another provider is asked for, the scenario's address and API are not its."""
    model = scenario.config.model
    if options.provider in {None, model.provider}:
        return scenario
    other = model.model_copy(update={"provider": None, "api": None, "base_url": None})
    config = scenario.config.model_copy(update={"model": other})
    return scenario.model_copy(update={"config": config})


def endpoint_of(options: Options, scenario: Scenario, variables: Mapping[str, str]) -> tuple[str, Endpoint]:
    model, agent = scenario.config.model, scenario.config.agent
    said = options.base_url or model.base_url
    here = "local" if said and is_loopback(said) else None
    provider = options.provider or here or model.provider
    if provider is None:
        sentence = "no provider is named: --provider NAME, or provider in [model] of scenario.toml or suite.toml"
        raise wrong_option(sentence, _EITHER)
    own = provider_of(options.provider or model.provider or provider).addresses
    first: Api = next(iter(own), "chat")
    api = options.api or model.api or first
    known = provider_of(provider)
    address = said or variables.get(known.variables.get(api, "")) or known.addresses.get(api)
    if not address:
        sentence = f"provider {provider} has no known address for {api}: say --base-url URL"
        apis = ", ".join(known.addresses)
        raise wrong_option(sentence, f"add --api {apis}, or --base-url URL" if apis else f"add {_HERE}")
    endpoint = Endpoint(
        api=api,
        base_url=base_url_of(address, api),
        key=_key_of(provider, address, variables),
        timeout_s=options.timeout or agent.timeout_s,
        retries=agent.retries if options.retries is None else options.retries,
        proxy=proxy_for(address, variables),
    )
    return provider, endpoint


def known_address(provider: str, api: Api, host: str, said: str | None, variables: Mapping[str, str]) -> str | None:
    """The address at a host of which no more is known: one that is said or known elsewhere, or this machine's."""
    known = provider_of(provider)
    for address in filter(None, (said, variables.get(known.variables.get(api, "")), known.addresses.get(api))):
        if urlsplit(address).netloc.rpartition("@")[2] == host:
            return address
    return f"http://{host}" if is_loopback(f"http://{host}") else None


def base_url_of(address: str, api: Api) -> str:
    """The address as the API's SDK wants it, with or without a version at its end; raises `WrongOption`."""
    parts = address_parts(address)
    path = parts.path.rstrip("/")
    segments = path.split("/")
    if api == "messages":
        path = path.removesuffix("/v1")
    elif not any(segment[:1] == "v" and segment[1:2].isdigit() for segment in segments):
        path += "/v1"
    return parts._replace(path=path, query="", fragment="").geturl()


def key_variable(provider: str, address: str) -> str | None:
    """The variable that holds the key; None where none is sent: to `local`, and to an address on this machine."""
    return None if is_loopback(address) else provider_of(provider).key


def _key_of(provider: str, address: str, variables: Mapping[str, str]) -> str:
    name = key_variable(provider, address)
    if name is None:
        return _NO_KEY
    if not variables.get(name, "").strip():
        raise errors.MissingKey(name)
    return variables[name].strip()


def params_of(options: Options, scenario: Scenario, api: Api) -> JsonObject:
    model = scenario.config.model
    params: dict[str, Any] = model.params | _params_said(options.params) | model.extra_body
    params |= _object_option(options.extra_body) if options.extra_body else {}
    stream = params.pop("stream", model.stream if options.stream is None else options.stream)
    if stream:
        params["stream"] = True
        if api == "chat":
            params.setdefault("stream_options", {"include_usage": True})
    value = checked(params)
    assert isinstance(value, dict)  # noqa: S101  a dict stays one
    return value


def _params_said(written: tuple[str, ...]) -> dict[str, object]:
    said: dict[str, object] = {}
    for name, value in map(_param, written):
        if name in said:
            raise errors.WrongOption(f"--param {name} is said twice, and one of them would be lost")
        said[name] = value
    return said


def _param(written: str) -> tuple[str, object]:
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise errors.WrongOption("--param takes NAME=VALUE", found=Redactor().text(written))
    try:
        return name, decode(value)
    except NotJsonError:
        return name, value


def _object_option(written: str) -> JsonObject:
    try:
        value = decode(written)
    except NotJsonError as error:
        raise errors.WrongOption(f"--extra-body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise errors.WrongOption("--extra-body takes a JSON object")
    return value
