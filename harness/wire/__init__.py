"""The wire: capture while recording, and (for agents that are not ours) replay by matching."""
