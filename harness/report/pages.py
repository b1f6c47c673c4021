"""What pages are made of: templates, and styles and scripts that stand inside the page, each allowed by its hash."""

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from harness.excerpt import visible_of
from harness.value import encode

if TYPE_CHECKING:
    from jinja2 import Environment


class Inline(NamedTuple):
    """A style or a script inside a page, and the hash by which the page's policy allows it and nothing else."""

    text: str
    source: str


def environment_of(*packages: str) -> "Environment":
    """The templates in `page/` of this package and of others; every value is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader(package, "page") for package in ("harness.report", *packages)])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters["visible"] = visible_of
    environment.filters["width"] = _width
    return environment


def _width(share: float) -> str:
    return f"{100 * share:.2f}%"


def inline(environment: "Environment", *names: str) -> Inline:
    """Files of ours, one after the other, as they stand: they are no text of a model and are not escaped."""
    from markupsafe import Markup

    assert environment.loader is not None  # noqa: S101  environment_of sets it
    text = "".join(environment.loader.get_source(environment, name)[0] for name in names)
    digest = b64encode(sha256(text.encode()).digest()).decode()
    return Inline(Markup(text), f"'sha256-{digest}'")  # noqa: S704


def in_script(value: object) -> str:
    """A value as JSON inside a script element, where only `<` could end it or open a comment."""
    from markupsafe import Markup

    return Markup(encode(value).decode().replace("<", "\\u003c"))  # noqa: S704
