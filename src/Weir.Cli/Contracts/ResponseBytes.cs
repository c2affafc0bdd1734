namespace Weir.Cli.Contracts;

/// <summary>Reads what a server sends into memory, up to a bound.</summary>
internal static class ResponseBytes
{
    private const int FirstLength = 16 * 1024;

    /// <summary>The whole body; <c>null</c> where it is longer than the bound.</summary>
    /// <param name="content">Read once.</param>
    /// <param name="most">The most bytes.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="IOException">The body was cut.</exception>
    /// <exception cref="HttpRequestException">The connection failed.</exception>
    public static async Task<ReadOnlyMemory<byte>?> ReadAsync(HttpContent content, int most, CancellationToken cancellationToken)
    {
        if (content.Headers.ContentLength > most)
        {
            return null;
        }

        await using var body = await content.ReadAsStreamAsync(cancellationToken);
        var bytes = new byte[Math.Min(FirstLength, most + 1)];
        var length = 0;
        while (await body.ReadAsync(bytes.AsMemory(length), cancellationToken) is > 0 and var count)
        {
            length += count;
            if (length > most)
            {
                return null;
            }

            if (length == bytes.Length)
            {
                Array.Resize(ref bytes, (int)Math.Min(bytes.Length * 2L, most + 1L));
            }
        }

        // UTF-8 may begin with a mark that JSON does not have.
        return bytes.AsSpan(0, length).StartsWith("\uFEFF"u8) ? bytes.AsMemory(3, length - 3) : bytes.AsMemory(0, length);
    }
}
