namespace Weir.Http.FanOut;

/// <summary>The requests to one host. Under the lock of the limiter; removed while there are none and the host asked for no delay.</summary>
internal sealed class HostQueue(HostKey key)
{
    /// <summary>Its key among the hosts.</summary>
    public HostKey Key => key;

    /// <summary>Those that are not sent yet, the oldest first.</summary>
    public LinkedList<LimitedCall> Waiting { get; } = new();

    /// <summary>How many are in flight.</summary>
    public int InFlight { get; set; }

    /// <summary>Whether it is in the list of hosts from which the next request is sent.</summary>
    public bool IsListed { get; set; }

    /// <summary>Ends the delay that the host asked for; <c>null</c> while there is none.</summary>
    public ITimer? Delay { get; set; }

    /// <summary>When the delay ends, as a timestamp of the limiter's clock.</summary>
    public long DelayedUntil { get; set; }
}
