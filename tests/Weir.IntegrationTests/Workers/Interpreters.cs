using Weir.IntegrationTests.Packaging;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What the workers in other languages need, and the programs that are theirs in the tests.</summary>
internal static class Interpreters
{
    private static readonly string Root = RepositoryRoot.Path;

    internal static string PythonProgram { get; } = Path.Combine(Root, "tests/workers/compliance.py");

    internal static string[] Python => [Require("python3", "python3"), PythonProgram];

    internal static string[] Node => [Require("node", "nodejs"), Path.Combine(Root, "tests/workers/compliance.js")];

    internal static string[] Mono => [Require("mono", "mono-runtime"), NetfxWorker];

    internal static string NetfxWorker => typeof(Interpreters).Assembly.GetCustomAttributes(typeof(System.Reflection.AssemblyMetadataAttribute), false)
        .Cast<System.Reflection.AssemblyMetadataAttribute>().Single(static one => one.Key == "NetfxWorker").Value!;

    internal static string[] Of(string language) => language switch
    {
        "Python" => Python,
        "Node" => Node,
        "Mono" => Mono,
        _ => throw new ArgumentOutOfRangeException(nameof(language), language, "No worker is written in it."),
    };

    /// <summary>The name of a program that is there; without it the test is skipped.</summary>
    internal static string Require(string program, string package)
    {
        var folders = Environment.GetEnvironmentVariable("PATH")!.Split(':', StringSplitOptions.RemoveEmptyEntries);
        Assert.SkipUnless(folders.Any(folder => File.Exists(Path.Combine(folder, program))), $"{program} is not on the PATH; apt-get install {package}.");
        return program;
    }
}
