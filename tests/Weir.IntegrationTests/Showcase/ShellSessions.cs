using System.Diagnostics;
using System.Text.RegularExpressions;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>The sessions of a page, typed into a shell: what the page shows is what a reader gets. An ellipsis stands for anything.</summary>
internal static partial class ShellSessions
{
    /// <summary>The commands in the <c>console</c> blocks of a page, and what it shows below each.</summary>
    public static (string Command, string Shown)[] Read(string page) =>
    [
        .. from Match block in Session().Matches(page)
           from command in block.Groups["text"].Value.Split("$ ", StringSplitOptions.RemoveEmptyEntries)
           let lines = command.Split('\n', 2)
           select (lines[0], lines[1].TrimEnd('\n')),
    ];

    /// <summary>Types a command, and compares.</summary>
    /// <param name="command">The command.</param>
    /// <param name="shown">What the page shows below it.</param>
    public static async Task AssertPrintsAsync(string command, string shown)
    {
        if (!File.Exists("/usr/bin/curl"))
        {
            Assert.Skip("/usr/bin/curl is missing; apt-get install curl.");
        }

        AssertShown(shown, await RunAsync(command));
    }

    public static void AssertShown(string shown, string printed)
    {
        var pattern = "^" + string.Join(".*?", shown.Split('…').Select(Regex.Escape)) + "$";
        Assert.True(Regex.IsMatch(printed, pattern, RegexOptions.Singleline), $"Shown:\n{shown}\nPrinted:\n{printed}");
    }

    private static async Task<string> RunAsync(string command)
    {
        using var shell = Process.Start(new ProcessStartInfo("/bin/bash", ["-c", command]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var error = shell.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await shell.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        await error;
        return output.TrimEnd('\n');
    }

    [GeneratedRegex("^```console\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Session();
}
