"""The system prompt of the ticket desk, built from its list of departments."""

DEPARTMENTS = {
    "billing": "invoices, payments, refunds",
    "shipping": "parcels, addresses, delays",
    "technical": "log-in, errors, the app",
}


def build() -> str:
    lines = "".join(f"- {name}: {work}\n" for name, work in DEPARTMENTS.items())
    return (
        "You sort the tickets of a help desk. The departments are:\n"
        f"{lines}"
        "Call route_ticket once, with the department that fits the ticket. "
        "Then tell the user in one sentence which department takes care of it.\n"
    )
