using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Tests;

/// <summary>Every option of every command with wrong values: a line that names it, or a command that runs, and never a fault of the tool.</summary>
public sealed class OptionTests : IDisposable
{
    // Nothing listens there.
    private const string Url = "http://127.0.0.1:1/";

    private static readonly string[] Values =
    [
        "", " ", "-1", "0", "1", "1.5", "999999999999999999999", "NaN", "maybe", "1h", "-", "@", "@@", "é", "x\ny", "a\0b", ".", "..", "absent/absent", "/", "/proc/weir", "/dev/null", "http://", "http://\u00fc\u00fc/", "a:b", "{", "--json",
        new string('x', 100_000),
    ];

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    public static TheoryData<string, string> Options()
    {
        var rows = new TheoryData<string, string>();
        Add(WeirCommandLine.CreateRoot(new CommandConsole { Input = Stream.Null, Output = Stream.Null, Out = TextWriter.Null, Error = TextWriter.Null }), "");
        return rows;

        void Add(Command command, string path)
        {
            foreach (var option in command.Options.Where(option => path.Length > 0 && option.Name is not ("--help" or "--version")))
            {
                rows.Add(path, option.Name);
            }

            foreach (var child in command.Subcommands)
            {
                Add(child, $"{path} {child.Name}".Trim());
            }
        }
    }

    [Fact]
    public void Every_command_is_walked() => Assert.Equal(
        [
            "call", "cancel", "client", "contract accept", "doctor", "drain", "events", "fetch", "jobs cancel", "jobs list", "jobs pause", "jobs purge", "jobs resume", "jobs retry", "jobs schedules", "jobs schedules pause", "jobs schedules resume", "jobs schedules run",
            "jobs show", "jobs wait", "kill", "load", "pause", "ps", "reload", "replace", "report", "resume", "top",
        ], Options().Select(static row => row.Data.Item1).Distinct().Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Options))]
    public async Task A_wrong_value_of_an_option_is_a_line_and_no_fault(string command, string option)
    {
        Assert.SkipWhen(command == "doctor" && option != "--json", "It has one option.");
        string[] needed = command switch
        {
            "call" => [Url, "Svc/A"],
            "client" => option == "--from" ? [] : ["--from", "absent.dll"],
            "fetch" => option is "--input" ? [] : [Url],
            "load" or "jobs list" or "jobs schedules" or "events" or "ps" or "report" or "top" => [Url],
            "drain" or "pause" or "reload" or "resume" => [Url, "hashing"],
            "cancel" => [Url, "8192"],
            "kill" or "replace" => [Url, "hashing", "4711"],
            "jobs pause" or "jobs resume" or "jobs schedules pause" or "jobs schedules resume" or "jobs schedules run" => [Url, "Svc/A"],
            _ when command.StartsWith("jobs ", StringComparison.Ordinal) => [Url, "0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081"],
            _ => [],
        };
        foreach (var value in Values)
        {
            // With '=' a value that begins with '-' is one, too.
            foreach (var words in new[] { new[] { option, value }, [$"{option}={value}"] })
            {
                if (command == "doctor" && value is not ("maybe" or "x\ny"))
                {
                    continue;
                }

                using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
                limit.CancelAfter(TimeSpan.FromSeconds(20));
                var cli = new CliProcess { Folder = _folder.Path };
                var code = await cli.RunAsync([.. command.Split(' '), .. needed, .. words], limit.Token);
                var shown = $"{command} {option} '{(value.Length > 100 ? "long" : value)}': {code} {(cli.Error.Length > 1000 ? cli.Error[..1000] : cli.Error)}";
                Assert.True(code is 0 or 1 or 2, shown);
                Assert.True(cli.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries).All(static line => line.StartsWith("weir: ", StringComparison.Ordinal)), shown);
                Assert.False(cli.Error.Contains("fault of weir", StringComparison.Ordinal) || cli.Error.Contains("   at ", StringComparison.Ordinal), shown);
            }
        }
    }

    [Theory]
    [InlineData("fetch", "--resume")]
    [InlineData("load", "--body")]
    [InlineData("client", "--out")]
    [InlineData("contract accept", "--out")]
    public async Task An_empty_value_is_named(string command, string option)
    {
        var cli = new CliProcess { Folder = _folder.Path };
        Assert.Equal(2, await cli.RunAsync([.. command.Split(' '), .. command is "fetch" or "load" ? new[] { Url } : [], option, ""]));
        Assert.Contains($"weir: {option} is empty; give a value, or leave it out.", cli.Error, StringComparison.Ordinal);
    }
}
