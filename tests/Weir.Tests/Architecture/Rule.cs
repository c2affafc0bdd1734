namespace Weir.Tests.Architecture;

/// <summary>Identifiers that the sources of a folder must not contain.</summary>
/// <param name="Where">A folder: everything in it, at any depth.</param>
/// <param name="Why">The invariant.</param>
internal sealed record Rule(string Where, string Why)
{
    /// <summary>Phrases of identifiers, see <see cref="SourceFile.Says"/>.</summary>
    public string[] Phrases { get; init; } = [];

    /// <summary>Words within identifiers, see <see cref="SourceFile.SaysWord"/>.</summary>
    public string[] Words { get; init; } = [];

    /// <summary>Folders and files inside that may contain it. An exception that is not needed is an error too.</summary>
    public string[] Except { get; init; } = [];

    /// <summary>Where the rule is broken.</summary>
    public IEnumerable<string> Faults(IReadOnlyCollection<SourceFile> sources)
    {
        var used = new HashSet<string>();
        foreach (var file in sources.Where(file => Covers(Where, file.Path)))
        {
            var exception = Except.FirstOrDefault(except => Covers(except, file.Path));
            foreach (var finding in Findings(file))
            {
                if (exception is null)
                {
                    yield return $"{finding}: {Why}";
                }
                else
                {
                    used.Add(exception);
                }
            }
        }

        foreach (var unused in Except.Except(used))
        {
            yield return $"{unused}: does not need its exception any more: {Why}";
        }
    }

    public override string ToString() => $"{Where}: {Why}";

    private IEnumerable<Finding> Findings(SourceFile file) =>
        Phrases.SelectMany(file.Says).Concat(Words.SelectMany(file.SaysWord));

    private static bool Covers(string place, string path) =>
        path == place || path.StartsWith(place + "/", StringComparison.Ordinal);
}
