using System.Text;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary>
/// A value as it was typed, by one rule for every place: <c>@FILE</c> is what a file has, <c>@-</c> what standard input has, and <c>@@</c> begins a text that begins with <c>@</c>.
/// </summary>
/// <param name="Parameter">The parameter's name, for messages.</param>
/// <param name="Text">The text, where it is not in a file.</param>
/// <param name="File">The file; <c>-</c> for standard input; <c>null</c> for none.</param>
internal readonly record struct ArgumentText(string Parameter, string Text, string? File)
{
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Reads what was typed.</summary>
    /// <exception cref="InputException">It names no file.</exception>
    public static ArgumentText Parse(string parameter, string typed) =>
        !typed.StartsWith('@') ? new(parameter, typed, null)
        : typed.StartsWith("@@", StringComparison.Ordinal) ? new(parameter, typed[1..], null)
        : typed.Length > 1 ? new(parameter, "", typed[1..])
        : throw new InputException($"{parameter} is '@' without the name of a file; write {parameter}=@FILE, or {parameter}=@@ for the text '@'.");

    /// <summary>Whether it is JSON, as far as its beginning shows it: text of a file may be.</summary>
    public bool MayBeJsonList => File is not null || Text.StartsWith('[') || Text == "null";

    /// <summary>The text, of a file without the end of its last line.</summary>
    /// <exception cref="InputException">The file cannot be read, or is no text.</exception>
    public async Task<string> ReadAsync(CommandConsole console, CancellationToken cancellationToken)
    {
        if (File is null)
        {
            return Text;
        }

        await using var stream = Open(console);
        try
        {
            using var reader = new StreamReader(stream, Strict);
            return (await reader.ReadToEndAsync(cancellationToken)).TrimEnd('\r', '\n');
        }
        catch (DecoderFallbackException wrong)
        {
            throw new InputException($"{Parameter} is '@{File}', which is not UTF-8: {wrong.Message}", wrong);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw Unreadable(failure);
        }
    }

    /// <summary>The bytes.</summary>
    /// <exception cref="InputException">The file cannot be opened.</exception>
    public Stream Open(CommandConsole console)
    {
        if (File is null)
        {
            // Bounded by the argument that was typed.
            return new MemoryStream(Encoding.UTF8.GetBytes(Text));
        }

        try
        {
            return File == "-" ? new InterruptibleStream(console.Input) : System.IO.File.OpenRead(console.PathOf(File));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw Unreadable(failure);
        }
    }

    private InputException Unreadable(Exception failure) =>
        new($"{Parameter} is '@{File}', and '{File}' cannot be read: {failure.Message}{(File == "-" ? "" : $" Write {Parameter}=@@{File} for a text that begins with '@'.")}", failure);
}
