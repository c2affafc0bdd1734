using System.Globalization;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>What <c>weir load</c> was asked to do, as it was typed; what is left out is <c>null</c>.</summary>
internal sealed record LoadSettings
{
    // Of standard input, which may have no end.
    private const long MostBody = 256 * 1024 * 1024;

    /// <summary>The service.</summary>
    public required string Address { get; init; }

    /// <summary>Connections.</summary>
    public int? Connections { get; init; }

    /// <summary>How many requests.</summary>
    public int? Requests { get; init; }

    /// <summary>For how long.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Not counted before that.</summary>
    public TimeSpan? WarmUp { get; init; }

    /// <summary>How long a request may take.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>Requests per second.</summary>
    public string? Rate { get; init; }

    /// <summary>Random gaps.</summary>
    public bool IsPoisson { get; init; }

    /// <summary><c>Name: value</c>.</summary>
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>The file with the body.</summary>
    public string? Body { get; init; }

    /// <summary>The method.</summary>
    public string? Method { get; init; }

    /// <summary>The version of HTTP.</summary>
    public string? HttpVersion { get; init; }

    /// <summary>Any certificate is accepted.</summary>
    public bool IsInsecure { get; init; }

    /// <summary>Items are measured.</summary>
    public bool IsStream { get; init; }

    /// <summary>After how many items a stream is left.</summary>
    public int? AbortAfter { get; init; }

    /// <summary>The options of the library.</summary>
    /// <exception cref="InputException">One is wrong, or two contradict each other.</exception>
    public async Task<LoadOptions> ToOptionsAsync(CommandConsole console, CancellationToken cancellationToken)
    {
        Refuse(Requests is not null && Duration is not null, "-n and -d are both given; choose a number of requests or a time.");
        Refuse(IsPoisson && Rate is null, "--poisson is given without --rate; give the rate whose gaps are to be random.");
        Refuse(AbortAfter is not null && !IsStream, "--abort-after is given without --stream; give both, or none.");
        Refuse(Requests is not null && WarmUp is not null, "-n and --warm-up are both given; give -d instead of -n, or leave --warm-up out.");
        var address = Catalog.AddressOf(Address);
        var method = MethodOf(Method ?? (Body is null ? "GET" : "POST"));
        Refuse(IsInsecure && address.Scheme == Uri.UriSchemeHttp, "--insecure is given, and the URL begins with http://, where there is no certificate; leave it out.");
        Refuse(IsStream && method == HttpMethod.Head, "--stream is given, and --method is HEAD, which is answered without a body; leave one of them out.");
        try
        {
            return new LoadOptions
            {
                Address = address,
                Connections = Connections ?? 50,
                Requests = Requests,
                Duration = Duration,
                WarmUp = WarmUp ?? TimeSpan.Zero,
                Timeout = Timeout ?? TimeSpan.FromSeconds(30),
                Rate = Rate is null ? null : RateOf(Rate),
                IsPoisson = IsPoisson,
                Headers = [.. Headers.Select(HeaderText.Parse)],
                Method = method,
                HttpVersion = VersionOf(HttpVersion ?? "1.1"),
                AcceptsAnyCertificate = IsInsecure,
                IsStream = IsStream,
                AbortAfter = AbortAfter,

                // After everything else: standard input is not taken for a command that is wrong.
                Body = Body is null ? null : await BodyOfAsync(Body, console, cancellationToken),
            };
        }
        catch (ArgumentException wrong)
        {
            // What the library alone checks: names and values of headers.
            throw new InputException(wrong.Message.Split(" (Parameter")[0], wrong);
        }
    }

    private static void Refuse(bool isWrong, string message)
    {
        if (isWrong)
        {
            throw new InputException(message);
        }
    }

    private static double RateOf(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var rate) && rate is >= 0.001 and <= 10_000_000
            ? rate
            : throw new InputException($"--rate is '{text}'; choose 0.001 to 10000000 requests per second.");

    private static async Task<byte[]> BodyOfAsync(string name, CommandConsole console, CancellationToken cancellationToken)
    {
        try
        {
            if (name != "-")
            {
                return await File.ReadAllBytesAsync(console.PathOf(name), cancellationToken);
            }

            // In memory, as it is sent again and again. Bounded by the check.
            using var body = new MemoryStream();
            var input = new InterruptibleStream(console.Input);
            var piece = new byte[16_384];
            while (await input.ReadAsync(piece, cancellationToken) is > 0 and var count)
            {
                body.Write(piece, 0, count);
                Refuse(body.Length > MostBody, $"--body '-' has more than {MostBody} bytes; send less at a time.");
            }

            return body.ToArray();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"--body '{name}' cannot be read: {failure.Message}{(name.StartsWith('@') ? " Write the name of the file without '@'." : "")}", failure);
        }
    }

    private static HttpMethod MethodOf(string text)
    {
        try
        {
            var method = HttpMethod.Parse(text.ToUpperInvariant());
            return method != HttpMethod.Connect ? method : throw new InputException($"--method is '{text}', which opens a tunnel; choose another method.");
        }
        catch (Exception wrong) when (wrong is FormatException or ArgumentException)
        {
            throw new InputException($"--method is '{text}'; give the name of a method, such as GET or POST.", wrong);
        }
    }

    private static Version VersionOf(string text) => text switch
    {
        "1.1" => System.Net.HttpVersion.Version11,
        "2" or "2.0" => System.Net.HttpVersion.Version20,
        _ => throw new InputException($"--http is '{text}'; choose 1.1 or 2."),
    };
}
