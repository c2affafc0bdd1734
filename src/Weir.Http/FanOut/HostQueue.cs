namespace Weir.Http.FanOut;

/// <summary>The requests of a fan-out to one host. Under the lock of the fan-out; removed while there are none.</summary>
/// <param name="key">Scheme, name and port; <c>null</c> where hosts are not distinguished.</param>
internal sealed class HostQueue(string? key)
{
    /// <summary>Its key among the hosts.</summary>
    public string? Key => key;

    /// <summary>Those that are not sent yet. Bounded by the places of the fan-out.</summary>
    public Queue<FanOutCall> Waiting { get; } = new();

    /// <summary>How many are in flight.</summary>
    public int InFlight { get; set; }

    /// <summary>Whether it is in the list of hosts from which the next request is sent.</summary>
    public bool IsListed { get; set; }
}
