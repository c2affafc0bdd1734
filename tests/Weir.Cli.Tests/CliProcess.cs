using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using Weir.Cli.Terminal;

namespace Weir.Cli.Tests;

/// <summary>The tool in this process: its streams are in memory.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The streams are memory.")]
internal sealed class CliProcess
{
    private readonly MemoryStream _output = new();
    private readonly StringWriter _error = new();

    /// <summary>Standard input.</summary>
    public Stream Input { get; init; } = Stream.Null;

    /// <summary>Where it runs.</summary>
    public string Folder { get; init; } = Path.GetTempPath();

    /// <summary>Whether a person reads standard output.</summary>
    public bool IsOutputTerminal { get; init; }

    /// <summary>Whether a person reads standard error.</summary>
    public bool IsErrorTerminal { get; init; }

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>What receives standard output instead of <see cref="Output"/>.</summary>
    public Stream? OutputStream { get; init; }

    /// <summary>What it printed.</summary>
    public string Output => Encoding.UTF8.GetString(_output.ToArray());

    /// <summary>What it printed on standard error.</summary>
    public string Error => _error.ToString();

    /// <summary>What it printed, line by line, as JSON.</summary>
    public JsonElement[] Lines => [.. Output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => JsonDocument.Parse(line).RootElement)];

    /// <summary>Runs a command to its end.</summary>
    /// <returns>The exit code.</returns>
    public Task<int> RunAsync(IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        var output = OutputStream ?? _output;
        return WeirCommandLine.RunAsync(
            arguments,
            new CommandConsole
            {
                Input = Input,
                Output = output,
                Out = new StreamWriter(output, new UTF8Encoding(false), leaveOpen: true) { AutoFlush = true },
                Error = TextWriter.Synchronized(_error),
                Folder = Folder,
                Time = Time,
                IsOutputTerminal = IsOutputTerminal,
                IsErrorTerminal = IsErrorTerminal,
            },
            cancellationToken);
    }

    /// <summary>Runs a command to its end.</summary>
    public Task<int> RunAsync(params string[] arguments) => RunAsync(arguments, TestContext.Current.CancellationToken);
}
