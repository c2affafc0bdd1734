using Weir.Cli;
using Weir.Cli.Terminal;

namespace Weir.Dashboard.Tests;

/// <summary>Runs the tool in this process.</summary>
internal static class Tool
{
    /// <summary>Runs a command.</summary>
    /// <returns>Its exit code, and what it printed.</returns>
    public static async Task<(int Code, string Output, string Error)> RunAsync(params string[] arguments)
    {
        using var bytes = new MemoryStream();
        using var output = new StreamWriter(bytes) { AutoFlush = true };
        using var error = new StringWriter();
        var code = await WeirCommandLine.RunAsync(arguments, new CommandConsole { Input = Stream.Null, Output = bytes, Out = output, Error = error }, TestContext.Current.CancellationToken);
        return (code, System.Text.Encoding.UTF8.GetString(bytes.ToArray()), error.ToString());
    }
}
