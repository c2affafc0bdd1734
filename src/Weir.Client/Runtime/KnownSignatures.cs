namespace Weir.Runtime;

/// <summary>
/// The contracts by which a client calls an operation: its own, and others that it has compared with its own. Their hashes are in the <c>Accept</c> of each
/// request, so that a server of any other contract refuses before it runs anything. Immutable.
/// </summary>
internal sealed class KnownSignatures
{
    /// <summary>In <c>Accept</c>, the parameter with the hashes.</summary>
    internal const string Parameter = ";signature=";

    /// <summary>The value of <c>Accept</c> to which a server answers with its contract, and runs nothing: no contract has this hash.</summary>
    internal const string AcceptOfNone = "*/*" + Parameter + "none";

    // As many versions as run side by side, and small enough for what a page may send in Accept without asking (128 characters).
    private const int MostOthers = 2;
    private const int Length = 16;

    private readonly string _media;
    private readonly string[] _signatures;

    /// <summary>Knows the client's own contract.</summary>
    /// <param name="media">What the client reads: media ranges, or nothing.</param>
    /// <param name="own">The hash of its contract.</param>
    internal KnownSignatures(string media, string own)
        : this(media, [own])
    {
    }

    private KnownSignatures(string media, string[] signatures)
    {
        (_media, _signatures) = (media, signatures);
        Accept = Write(string.Join(".", signatures));
        AcceptOfAny = Write(string.Join(".", signatures) + ".*");
    }

    /// <summary>What the client reads, without hashes.</summary>
    internal string Media => _media.Length > 0 ? _media : "*/*";

    internal string Accept { get; }

    internal string AcceptOfAny { get; }

    internal bool Has(string signature) => Array.IndexOf(_signatures, signature) >= 0;

    /// <summary>Knows one more; of too many, the one that was added first is forgotten, and would be compared again.</summary>
    internal KnownSignatures With(string signature)
    {
        if (Has(signature) || !IsSignature(signature))
        {
            return this;
        }

        var others = _signatures.Skip(Math.Max(1, _signatures.Length - MostOthers + 1));
        return new KnownSignatures(_media, [_signatures[0], .. others, signature]);
    }

    // The text of a server becomes part of a header.
    private static bool IsSignature(string text) => text.Length == Length && text.All(static one => one is (>= '0' and <= '9') or (>= 'a' and <= 'f'));

    // The first media range has it.
    private string Write(string signatures)
    {
        var media = Media;
        var end = media.IndexOf(',') is >= 0 and var comma ? comma : media.Length;
        return string.Concat(media.Substring(0, end), Parameter, signatures, media.Substring(end));
    }
}
