using Weir.Protocol.Flow;

namespace Weir.Tests.Processes.Simulation;

/// <summary>One run of a call in a worker, with its items where its result is a stream.</summary>
internal sealed class SimulatedRun(ulong id, SimulatedCall call, TimeSpan since, bool heeds)
{
    private ItemCredit _credit = new(ItemQueue.Window);

    public ulong Id => id;

    public SimulatedCall Call => call;

    public TimeSpan Since => since;

    /// <summary>It ends when its call is cancelled.</summary>
    public bool Heeds => heeds;

    /// <summary>It does not end by itself.</summary>
    public bool IsEndless { get; set; }

    /// <summary>It stands in the middle, until its reader has taken something.</summary>
    public bool IsBlocked { get; set; }

    /// <summary>How many items it has sent.</summary>
    public int Sent { get; private set; }

    /// <summary>The bytes of them, as whole frames.</summary>
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

    /// <summary>Its reader has taken some.</summary>
    /// <returns>Whether it goes on.</returns>
    public bool Grant(uint bytes)
    {
        _credit.Grant(bytes);
        return IsBlocked && _credit.CanSend;
    }
}
