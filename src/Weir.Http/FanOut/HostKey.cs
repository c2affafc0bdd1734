namespace Weir.Http.FanOut;

/// <summary>A host as bounds and delays count it.</summary>
internal readonly record struct HostKey(string Scheme, string Name, int Port)
{
    /// <summary>The host of an address; empty where it is missing, relative or has no valid name: such a request fails when it is sent.</summary>
    public static HostKey Of(Uri? address)
    {
        try
        {
            return address is { IsAbsoluteUri: true } ? new HostKey(address.Scheme, address.IdnHost, address.Port) : default;
        }
        catch (UriFormatException)
        {
            return default;
        }
    }
}
