using System.Globalization;
using System.Text;

namespace Weir.IntegrationTests.Showcase;

/// <summary>Reads one HTTP/1.1 response after the other, by the book: what it takes for the end of one is where the next begins.</summary>
internal sealed class ResponseReader(Stream stream)
{
    private readonly byte[] _one = new byte[1];

    /// <summary>Whether a byte of the last response that was asked for has come.</summary>
    public bool HasBegun { get; private set; }

    public async Task<(int Status, string Head, string Body)> ReadAsync(bool isHead, CancellationToken cancellationToken)
    {
        HasBegun = false;

        // 1. The head, and past every 100 before it.
        string head;
        int status;
        do
        {
            var lines = new StringBuilder();
            for (var line = await LineAsync(cancellationToken); line.Length > 0; line = await LineAsync(cancellationToken))
            {
                lines.Append(line).Append('\n');
            }

            head = lines.ToString();
            status = int.Parse(head.AsSpan(9, 3), NumberStyles.None, CultureInfo.InvariantCulture);
        }
        while (status == 100);

        // 2. The body: none, chunks, or as long as announced.
        if (isHead || status is 204 or 304)
        {
            return (status, head, "");
        }

        var body = new MemoryStream();
        if (Header(head, "Transfer-Encoding") is { })
        {
            for (var size = await SizeAsync(cancellationToken); size > 0; size = await SizeAsync(cancellationToken))
            {
                await CopyAsync(body, size, cancellationToken);
                await LineAsync(cancellationToken);
            }

            await LineAsync(cancellationToken);
        }
        else if (Header(head, "Content-Length") is { } length)
        {
            await CopyAsync(body, int.Parse(length, CultureInfo.InvariantCulture), cancellationToken);
        }

        return (status, head, Encoding.UTF8.GetString(body.ToArray()));
    }

    private static string? Header(string head, string name) =>
        head.Split('\n').FirstOrDefault(line => line.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase))?[(name.Length + 1)..].Trim();

    private async Task<int> SizeAsync(CancellationToken cancellationToken) =>
        int.Parse(await LineAsync(cancellationToken), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);

    private async Task CopyAsync(MemoryStream body, int length, CancellationToken cancellationToken)
    {
        var bytes = new byte[length];
        await stream.ReadExactlyAsync(bytes, cancellationToken);
        body.Write(bytes);
    }

    private async Task<string> LineAsync(CancellationToken cancellationToken)
    {
        var line = new StringBuilder();
        while (true)
        {
            await stream.ReadExactlyAsync(_one, cancellationToken);
            HasBegun = true;
            if (_one[0] == '\n')
            {
                return line.ToString().TrimEnd('\r');
            }

            line.Append((char)_one[0]);
        }
    }
}
