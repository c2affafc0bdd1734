using Weir.Lab.Engine;

namespace Weir.Lab.Experiments;

/// <summary>The ways to wait behind a web server that document 001's experiments compare.</summary>
internal static class Blocking
{
    /// <summary>As many threads as a lane may have: what a plain server gets when the minimum of the thread pool is raised for it.</summary>
    public const int Threads = 1024;

    public static IReadOnlyList<(string Name, string Program, string[] Settings, string Path)> Ways { get; } =
    [
        ("plain", "minimal", [], "/sleep/bio"),
        ("raised minimum", "minimal", [$"minThreads={Threads}"], "/sleep/bio"),
        ("plain async", "minimal", [], "/sleep/aio"),
        ("weir", "weir", [], "/sleep/bio"),
    ];

    /// <summary>A quick run leaves the asynchronous peer out where a thousand wait for a time: it has no threads that could wear out.</summary>
    public static IEnumerable<(string Name, string Program, string[] Settings, string Path)> For(Scale scale) =>
        Ways.Where(way => way.Name != "plain async" || scale != Scale.Quick);
}
