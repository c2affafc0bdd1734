using System.Diagnostics;
using System.Text.RegularExpressions;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>The README's sessions, typed into a shell: what it shows is what a reader gets. An ellipsis stands for anything.</summary>
public sealed partial class ReadmeTests(RunningShowcase showcase) : IClassFixture<RunningShowcase>
{
    private const string AddressInReadme = "http://127.0.0.1:5080";

    private static readonly string Readme = File.ReadAllText(Path.Combine(RepositoryRoot.Path, "README.md"));

    private static readonly (string Command, string Shown)[] Commands = ReadSessions();

    private string Address => showcase.Process.Address.GetLeftPart(UriPartial.Authority);

    public static TheoryData<string> AllCommands => [.. Commands.Select(session => session.Command)];

    [Theory]
    [MemberData(nameof(AllCommands))]
    public async Task A_command_of_the_readme_prints_what_it_shows(string command)
    {
        if (!File.Exists("/usr/bin/curl"))
        {
            Assert.Skip("/usr/bin/curl is missing; apt-get install curl.");
        }

        var printed = await ShellAsync(command.Replace(AddressInReadme, Address, StringComparison.Ordinal));
        AssertShown(Commands.Single(session => session.Command == command).Shown, printed);
    }

    [Fact]
    public async Task The_showcase_says_what_the_readme_shows()
    {
        var shown = StartText().Match(Readme).Groups["text"].Value.TrimEnd('\n');
        var printed = (await StartTextAsync()).Replace(Address, AddressInReadme, StringComparison.Ordinal);
        AssertShown(shown, printed[printed.IndexOf("Weir showcase at", StringComparison.Ordinal)..]);
    }

    [Fact]
    public async Task The_showcase_prints_the_commands_of_the_readme()
    {
        Assert.Equal(5, Commands.Length);
        var offered = (await StartTextAsync()).Split('\n').Select(line => line.Trim()).Where(line => line.StartsWith("curl ", StringComparison.Ordinal));
        Assert.Equal(Commands.Select(session => session.Command), offered.Select(line => line.Replace(Address, AddressInReadme, StringComparison.Ordinal)));
    }

    /// <summary>What it printed, to the last line it prints at start.</summary>
    private async Task<string> StartTextAsync()
    {
        var lastLine = Commands[^1].Command.Replace(AddressInReadme, Address, StringComparison.Ordinal);
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Process.Output.Contains(lastLine, StringComparison.Ordinal), TimeSpan.FromSeconds(30)), $"It did not print {lastLine}");
        return showcase.Process.Output;
    }

    private static void AssertShown(string shown, string printed)
    {
        var pattern = "^" + string.Join(".*?", shown.Split('…').Select(Regex.Escape)) + "$";
        Assert.True(Regex.IsMatch(printed, pattern, RegexOptions.Singleline), $"Shown:\n{shown}\nPrinted:\n{printed}");
    }

    private static async Task<string> ShellAsync(string command)
    {
        using var shell = Process.Start(new ProcessStartInfo("/bin/bash", ["-c", command]) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var error = shell.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await shell.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        await error;
        return output.TrimEnd('\n');
    }

    private static (string, string)[] ReadSessions() =>
    [
        .. from Match block in Session().Matches(Readme)
           from command in block.Groups["text"].Value.Split("$ ", StringSplitOptions.RemoveEmptyEntries)
           let lines = command.Split('\n', 2)
           select (lines[0], lines[1].TrimEnd('\n')),
    ];

    [GeneratedRegex("^```console\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Session();

    [GeneratedRegex("^```text\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex StartText();
}
