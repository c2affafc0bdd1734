using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Weir's workers in other languages: what they need, and the programs that serve document 003's task in them.</summary>
internal static class ForeignWorkers
{
    /// <summary>The pool of <see cref="IForeignTasks"/>; a contender starts it with one of the languages.</summary>
    public const string Pool = "foreign";

    public static IReadOnlyList<string> Languages { get; } = ["Node", "Python", "Mono"];

    public static Availability Needs(string language) => language switch
    {
        "Node" => Peers.Node,
        "Python" => Peers.Python,
        _ => Peers.Mono,
    };

    public static IReadOnlyList<string> Command(string language) => language switch
    {
        "Node" => ["node", Path.Combine(Peers.Scripts, "node", "weir-worker.mjs")],
        "Python" => ["python3", Path.Combine(Peers.Scripts, "python", "weir_tasks.py")],
        "Mono" => ["mono", BuiltPrograms.MonoWorker],
        _ => throw new ArgumentException($"There is no worker in '{language}'; there are {string.Join(", ", Languages)}.", nameof(language)),
    };
}
