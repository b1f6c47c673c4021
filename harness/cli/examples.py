"""A subcommand whose examples and exit codes are shown below its options as they are written."""

import click


class CommandWithExamples(click.Command):
    """As click's; the epilog is not wrapped."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        del ctx
        if self.epilog:
            formatter.write(f"\n{self.epilog}")
