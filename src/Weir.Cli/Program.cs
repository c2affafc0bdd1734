using System.CommandLine;

namespace Weir.Cli;

internal static class Program
{
    public static Task<int> Main(string[] arguments) =>
        new RootCommand("Many requests at once, load tests, and what isolation this machine allows.").Parse(arguments).InvokeAsync();
}
