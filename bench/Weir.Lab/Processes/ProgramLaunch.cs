namespace Weir.Lab.Processes;

/// <summary>How a contender's process is started.</summary>
internal sealed record ProgramLaunch(string File, IReadOnlyList<string> Arguments)
{
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>A contender that is part of the lab, in a runtime of its own.</summary>
    public static ProgramLaunch OfLab(string program, params IEnumerable<string> arguments) =>
        new(System.Environment.ProcessPath ?? "dotnet", [.. Self, "contender", program, .. arguments]);

    // Under `dotnet Weir.Lab.dll` the process is the muxer, under the apphost it is the lab itself.
    private static IEnumerable<string> Self =>
        Path.GetFileNameWithoutExtension(System.Environment.ProcessPath) == "dotnet" ? [typeof(ProgramLaunch).Assembly.Location] : [];
}
