namespace Weir.Lab.Processes;

/// <summary>How a contender's process is started.</summary>
internal sealed record ProgramLaunch(string File, IReadOnlyList<string> Arguments)
{
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>Whether it gets an empty folder of its own to work in, which is gone afterwards: for programs that leave files when they crash.</summary>
    public bool HasOwnFolder { get; init; }

    /// <summary>The documents' hosts on .NET Framework.</summary>
    public static ProgramLaunch MonoHost { get; } = new("mono", [BuiltPrograms.MonoHost]) { HasOwnFolder = true };

    /// <summary>A contender that is part of the lab, in a runtime of its own.</summary>
    public static ProgramLaunch OfLab(string program, params IEnumerable<string> arguments) =>
        new(System.Environment.ProcessPath ?? "dotnet", [.. Self, "contender", program, .. arguments]);

    /// <summary>A contender on .NET that needs packages.</summary>
    public static ProgramLaunch OfNetPeers(string program, params IEnumerable<string> settings) => new("dotnet", [BuiltPrograms.NetPeers, program, .. settings]);

    /// <summary>The application with jobs.</summary>
    public static ProgramLaunch OfJobs(params IEnumerable<string> settings) => new("dotnet", [BuiltPrograms.JobsApp, .. settings]);

    /// <summary>The application with jobs of an earlier version.</summary>
    public static ProgramLaunch OfJobsBefore(params IEnumerable<string> settings) => new("dotnet", [BuiltPrograms.JobsAppBefore ?? "", .. settings]);

    /// <summary>The application with 300 kinds of jobs.</summary>
    public static ProgramLaunch OfJobKinds(params IEnumerable<string> settings) => new("dotnet", [BuiltPrograms.JobKinds, .. settings]);

    // Under `dotnet Weir.Lab.dll` the process is the muxer, under the apphost it is the lab itself.
    private static IEnumerable<string> Self =>
        Path.GetFileNameWithoutExtension(System.Environment.ProcessPath) == "dotnet" ? [typeof(ProgramLaunch).Assembly.Location] : [];
}
