namespace Weir.Http.FanOut;

/// <summary>A host as bounds and delays count it.</summary>
internal readonly record struct HostKey(string Scheme, string Name, int Port)
{
    /// <summary>The host of an address; empty where it is missing or relative.</summary>
    public static HostKey Of(Uri? address) => address is { IsAbsoluteUri: true } ? new HostKey(address.Scheme, address.IdnHost, address.Port) : new HostKey("", "", 0);
}
