using System.Text;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary>Prints items as they come: each in a line, or as the elements of one JSON array, whose end is printed only when all have arrived.</summary>
/// <param name="isLines">Whether each is a line.</param>
/// <param name="console">Where they are printed.</param>
internal sealed class ItemsOutput(bool isLines, CommandConsole console)
{
    private bool _hasAny;

    /// <summary>Prints one.</summary>
    public async Task AddAsync(ReadOnlyMemory<byte> json, CancellationToken cancellationToken)
    {
        var text = Encoding.UTF8.GetString(json.Span);
        await (isLines ? console.Out.WriteLineAsync(text.AsMemory(), cancellationToken) : console.Out.WriteAsync($"{(_hasAny ? ",\n  " : "[\n  ")}{text}".AsMemory(), cancellationToken));
        _hasAny = true;
    }

    /// <summary>All have arrived.</summary>
    public Task EndAsync() => isLines ? Task.CompletedTask : console.Out.WriteLineAsync(_hasAny ? "\n]" : "[]");
}
