namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The one word of the shared memory that both sides write to decide who has a call, by compare-and-swap: the worker that starts it or
/// the host that withdraws it. Ids are stored in it modulo 2³².
/// </summary>
/// <param name="Value">Low half: the last call that was started or dropped. High half: the first call of the open withdrawal, 0 for none.</param>
internal readonly record struct ClaimWord(ulong Value)
{
    /// <summary>The last call that was started or dropped, modulo 2³².</summary>
    public uint Started => (uint)Value;

    /// <summary>The first call of the open withdrawal, modulo 2³²; 0 for none.</summary>
    public uint WithdrawnFirst => (uint)(Value >> 32);

    /// <summary>The word after the worker has read a call: it runs, or the open withdrawal contains it and it is dropped.</summary>
    /// <param name="callId">The call after the last one.</param>
    /// <param name="withdrawnLast">The last call of the withdrawal, if one is open.</param>
    /// <param name="isWithdrawn">Whether it is dropped.</param>
    public ClaimWord Next(ulong callId, ulong withdrawnLast, out bool isWithdrawn)
    {
        var id = (uint)callId;
        var first = WithdrawnFirst;
        if (first == 0)
        {
            isWithdrawn = false;
            return new ClaimWord(id);
        }

        // Compares distances, not ids: an id may have wrapped.
        isWithdrawn = id - first <= (uint)withdrawnLast - first;
        return new ClaimWord(id == (uint)withdrawnLast ? id : ((ulong)first << 32) | id);
    }

    /// <summary>The word with a withdrawal opened. Only while none is open.</summary>
    /// <param name="first">The first call withdrawn; not one whose low half is 0, which would mean none.</param>
    public ClaimWord Withdraw(ulong first) => new(((ulong)(uint)first << 32) | Started);

    /// <summary>The last call started, as a whole id.</summary>
    /// <param name="atLeast">A call that is known to have been started.</param>
    /// <param name="lastSent">The last call that was sent.</param>
    /// <param name="started">If the word is valid, a value from <paramref name="atLeast"/> to <paramref name="lastSent"/>.</param>
    /// <returns><c>false</c> when the word is not valid.</returns>
    public bool TryExpand(ulong atLeast, ulong lastSent, out ulong started)
    {
        var behind = (uint)lastSent - Started;
        started = lastSent - behind;
        return behind <= lastSent - atLeast;
    }
}
