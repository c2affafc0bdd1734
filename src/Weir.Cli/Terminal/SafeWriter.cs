using System.Text;

namespace Weir.Cli.Terminal;

/// <summary>Writes text that cannot command a terminal (<see cref="SafeText"/>). What is written as a line stays one line. As thread-safe as what it writes to.</summary>
/// <param name="inner">Where the text goes.</param>
/// <param name="keepsLines">Whether a line that is written may have ends of lines within it: a result may, a message may not.</param>
internal sealed class SafeWriter(TextWriter inner, bool keepsLines) : TextWriter
{
    public override Encoding Encoding => inner.Encoding;

    public override void Write(char value) => inner.Write(SafeText.Of(value.ToString(), keepsLines: true));

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Write(string? value) => inner.Write(SafeText.Of(value ?? "", keepsLines: true));

    public override void WriteLine() => inner.WriteLine();

    public override void WriteLine(string? value) => inner.WriteLine(SafeText.Of(value ?? "", keepsLines));

    public override Task WriteAsync(char value) => inner.WriteAsync(SafeText.Of(value.ToString(), keepsLines: true));

    public override Task WriteAsync(string? value) => inner.WriteAsync(SafeText.Of(value ?? "", keepsLines: true));

    public override Task WriteAsync(ReadOnlyMemory<char> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteAsync(SafeText.Of(buffer.ToString(), keepsLines: true).AsMemory(), cancellationToken);

    public override Task WriteLineAsync(string? value) => inner.WriteLineAsync(SafeText.Of(value ?? "", keepsLines));

    public override Task WriteLineAsync(ReadOnlyMemory<char> buffer, CancellationToken cancellationToken = default) =>
        inner.WriteLineAsync(SafeText.Of(buffer.ToString(), keepsLines).AsMemory(), cancellationToken);

    public override void Flush() => inner.Flush();

    public override Task FlushAsync() => inner.FlushAsync();
}
