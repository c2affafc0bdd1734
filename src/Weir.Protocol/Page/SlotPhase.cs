namespace Weir.Protocol;

/// <summary>How far the call of a slot is.</summary>
public enum SlotPhase : ulong
{
    /// <summary>No call uses the slot.</summary>
    Free = 0,

    /// <summary>The arguments are read.</summary>
    Bind = 1,

    /// <summary>The operation's own code runs.</summary>
    Run = 2,

    /// <summary>The result is encoded or sent.</summary>
    Answer = 3,
}
