using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>Programs of other ecosystems, and how to get them.</summary>
internal static class Peers
{
    private const string SetUp = "bench/setup-peers.sh";

    public static Availability Mono { get; } = Program("mono", $"apt-get install mono-runtime, or {SetUp}");

    public static Availability Python { get; } = Program("python3", $"apt-get install python3, or {SetUp}");

    public static Availability Node { get; } = Program("node", $"apt-get install nodejs, or {SetUp}");

    public static Availability Chromium { get; } = Program("chromium", $"apt-get install chromium, or {SetUp}");

    /// <summary>A folder of scripts that this repository brings.</summary>
    public static string Scripts { get; } = Path.Combine(BuiltPrograms.Repository, "bench", "peers");

    /// <summary>A package of npm, installed beside the scripts from their lock file.</summary>
    public static Availability NodePackage(string name)
    {
        if (Node is not Availability.Ready)
            return Node;

        return Directory.Exists(Path.Combine(Scripts, "node", "node_modules", name))
            ? Availability.Present
            : Availability.Missing($"npm ci --prefix bench/peers/node, or {SetUp}");
    }

    private static Availability Program(string name, string install) =>
        Tool.Find(name) is null ? Availability.Missing(install) : Availability.Present;
}
