using System.Runtime.CompilerServices;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>The list of URLs: those on the command line, then those of the input. Read only as far as it is needed.</summary>
internal sealed class AddressList : IDisposable
{
    private readonly IReadOnlyList<string> _given;
    private readonly Stream? _input;
    private readonly string _name;

    private AddressList(IReadOnlyList<string> given, Stream? input, string name)
    {
        _given = given;
        _input = input;
        _name = name;
    }

    /// <summary>Whether it can be read more than once.</summary>
    public bool CanRepeat => _input is null or { CanSeek: true };

    /// <summary>Opens the input and checks the URLs of the command line.</summary>
    /// <exception cref="InputException">A URL or the input is wrong.</exception>
    public static AddressList Open(FetchSettings settings, CommandConsole console)
    {
        foreach (var text in settings.Addresses)
        {
            if (text.StartsWith('-'))
            {
                throw new InputException($"there is no option '{text}'; 'weir fetch --help' lists what there is.");
            }

            if (Address.Parse(0, text).Problem is { } problem)
            {
                throw new InputException(problem);
            }
        }

        if (settings is { Addresses.Count: 0, Input: null })
        {
            throw new InputException("nothing to fetch; give URLs, or --input FILE with one URL a line ('-' is standard input).");
        }

        return settings.Input switch
        {
            null => new AddressList(settings.Addresses, null, ""),
            "-" => new AddressList(settings.Addresses, new InterruptibleStream(console.Input), "standard input"),
            var name => new AddressList(settings.Addresses, OpenFile(name, console.PathOf(name)), $"'{name}'"),
        };
    }

    /// <summary>Reads it from its beginning if it can be repeated, or else on.</summary>
    /// <exception cref="InputException">The input cannot be read.</exception>
    public async IAsyncEnumerable<Address> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var index = 0L;
        foreach (var text in _given)
        {
            yield return Address.Parse(index++, text);
        }

        if (_input is null)
        {
            yield break;
        }

        if (_input.CanSeek)
        {
            _input.Position = 0;
        }

        await foreach (var line in LineReader.ReadAsync(_input, _name, cancellationToken))
        {
            if (line.Length > 0 && line[0] != '#')
            {
                yield return Address.Parse(index++, line);
            }
        }
    }

    public void Dispose() => _input?.Dispose();

    private static Stream OpenFile(string name, string path)
    {
        try
        {
            var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0, FileOptions.SequentialScan);
            return file.CanSeek ? file : new InterruptibleStream(file);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"--input '{name}' cannot be read: {failure.Message}", failure);
        }
    }
}
