using System.Text.RegularExpressions;
using Weir.IntegrationTests.Packaging;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Showcase;

/// <summary>What the showcase's README shows is what the showcase prints and answers.</summary>
public sealed partial class ReadmeTests(DevelopmentShowcase showcase) : IClassFixture<DevelopmentShowcase>
{
    private const string AddressInReadme = "http://127.0.0.1:5080";

    private static readonly string Readme = File.ReadAllText(Path.Combine(RepositoryRoot.Path, "samples/Showcase/README.md"));

    private static readonly (string Command, string Shown)[] Commands = ShellSessions.Read(Readme);

    private string Address => showcase.Process.Address.GetLeftPart(UriPartial.Authority);

    public static TheoryData<string> AllCommands => [.. Commands.Select(session => session.Command)];

    [Theory]
    [MemberData(nameof(AllCommands))]
    public Task A_command_of_the_readme_prints_what_it_shows(string command) =>
        ShellSessions.AssertPrintsAsync(
            command.Replace(AddressInReadme, Address, StringComparison.Ordinal), Commands.Single(session => session.Command == command).Shown);

    [Fact]
    public async Task The_showcase_says_what_the_readme_shows()
    {
        var shown = StartText().Match(Readme).Groups["text"].Value.TrimEnd('\n');
        var printed = (await StartTextAsync()).Replace(Address, AddressInReadme, StringComparison.Ordinal);
        ShellSessions.AssertShown(shown, printed[printed.IndexOf("Weir showcase at", StringComparison.Ordinal)..]);
    }

    [Fact]
    public async Task The_showcase_prints_the_commands_of_the_readme()
    {
        Assert.Equal(6, Commands.Length);
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

    [GeneratedRegex("^```text\n(?<text>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex StartText();
}
