using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Where an application serves its jobs.</summary>
internal sealed class JobsAddress
{
    private const string DefaultPath = "/$jobs";
    private const string CatalogPath = "/$catalog";

    private readonly string _server;
    private readonly string _path;

    private JobsAddress(string server, string path) => (_server, _path) = (server, path);

    /// <summary>What comes before the id, to be typed: the application's URL, and <c>--path</c> where that is needed.</summary>
    public string Words => _path.EndsWith(DefaultPath, StringComparison.Ordinal)
        ? ShellWord.Of(_server + _path[..^DefaultPath.Length])
        : $"{ShellWord.Of(_server)} --path {ShellWord.Of(_path.Length == 0 ? "/" : _path)}";

    /// <summary>Reads the URL of an application as it was typed: with the base behind which it is, or of its catalog, or of its jobs.</summary>
    /// <param name="typed">The URL.</param>
    /// <param name="path">The path of <c>MapWeirJobs</c> where that is another one.</param>
    /// <exception cref="InputException">It is none.</exception>
    public static JobsAddress Parse(string typed, string? path)
    {
        var address = Catalog.AddressOf(typed);
        var application = address.AbsolutePath.TrimEnd('/');
        foreach (var own in new[] { CatalogPath, DefaultPath })
        {
            application = application.EndsWith(own, StringComparison.Ordinal) ? application[..^own.Length] : application;
        }

        return new JobsAddress(address.GetLeftPart(UriPartial.Authority), application + (path is null ? DefaultPath : PathPrefix.Parse(path, "--path")));
    }

    /// <summary>Reads the header <c>Location</c> of an accepted job. It is always at the server that was typed, whatever the header says.</summary>
    /// <param name="server">The server.</param>
    /// <param name="requested">The address that answered.</param>
    /// <param name="location">The header.</param>
    /// <param name="base">What a proxy takes away from the paths; empty for nothing.</param>
    /// <returns>The address and the id; <c>null</c> where it names no job.</returns>
    public static (JobsAddress Address, Guid Id)? OfJob(Uri server, Uri requested, string location, string @base)
    {
        if (!Uri.TryCreate(requested, location, out var target))
        {
            return null;
        }

        var slash = target.AbsolutePath.LastIndexOf('/');
        if (!Guid.TryParseExact(target.AbsolutePath.AsSpan(slash + 1), "D", out var id))
        {
            return null;
        }

        var path = target.AbsolutePath[..slash];
        return (new JobsAddress(server.GetLeftPart(UriPartial.Authority), path.StartsWith(@base + "/", StringComparison.OrdinalIgnoreCase) ? path : @base + path), id);
    }

    /// <summary>The address of something there.</summary>
    /// <param name="rest">What follows, with a slash at its beginning; or a query.</param>
    public Uri Of(string rest) => new(_server + _path + rest);
}
