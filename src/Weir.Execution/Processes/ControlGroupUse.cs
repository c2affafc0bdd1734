namespace Weir;

/// <summary>
/// When a pool's workers get control groups of their own (Linux cgroups, version 2 or 1). A group limits a worker together with
/// everything it starts, and all of that ends with the worker, also processes that left its process group.
/// </summary>
public enum ControlGroupUse
{
    /// <summary>
    /// Where the host's own group was delegated: to its user, as in a systemd service with <c>Delegate=yes</c>, or to its
    /// container. Groups that another program manages are not touched, whatever rights the host has.
    /// </summary>
    WhereDelegated,

    /// <summary>Wherever the host has the right to make them. Where it does not, the application does not start (WEIR3003).</summary>
    Always,

    /// <summary>Nowhere.</summary>
    Never,
}
