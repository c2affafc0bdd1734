using Weir.Protocol.Flow;

namespace Weir.Tests.Processes.Simulation;

/// <summary>One run of a call in a worker, with its items where its result is a stream.</summary>
internal sealed class SimulatedRun(ulong id, SimulatedCall call, TimeSpan since, bool heeds)
{
    private ItemCredit _credit = new(ItemQueue.Window);

    public ulong Id => id;

    public SimulatedCall Call => call;

    public TimeSpan Since => since;

    /// <summary>Whether it ends when its call is cancelled.</summary>
    public bool Heeds => heeds;

    /// <summary>Whether it does not end by itself.</summary>
    public bool IsEndless { get; set; }

    /// <summary>Whether it waits in the middle until its reader has taken something.</summary>
    public bool IsBlocked { get; set; }

    /// <summary>How many items it has sent.</summary>
    public int Sent { get; private set; }

    /// <summary>The bytes of the sent items, as whole frames.</summary>
    public long SentBytes { get; private set; }

    public bool HasMore => Sent < call.Stream!.Sizes.Length;

    /// <summary>Sends the next item, if it may.</summary>
    public bool TrySend(bool mayOverdraw)
    {
        var size = call.Stream!.Sizes[Sent];
        if (!_credit.TryTake(size) && !mayOverdraw)
        {
            return false;
        }

        call.Pool.Oracle.Streams.Sends(this);
        Sent++;
        SentBytes += ItemCredit.CostOf(size);
        return true;
    }

    /// <summary>The reader has taken items.</summary>
    /// <returns>Whether the run continues.</returns>
    public bool Grant(uint bytes)
    {
        _credit.Grant(bytes);
        return IsBlocked && _credit.CanSend;
    }
}
