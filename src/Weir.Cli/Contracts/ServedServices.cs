namespace Weir.Cli.Contracts;

/// <summary>What a source offers.</summary>
/// <param name="Services">The services.</param>
/// <param name="Base">What the paths of the services have before them at this server, because something between strips it; empty for nothing.</param>
internal sealed record ServedServices(IReadOnlyList<ServiceContract> Services, string Base)
{
    /// <summary>The address of a path of an operation, without the server.</summary>
    public string PathOf(string path) => Base + path;
}
