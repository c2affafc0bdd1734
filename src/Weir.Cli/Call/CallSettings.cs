using Weir.Cli.Answers;

namespace Weir.Cli.Call;

/// <summary>What <c>weir call</c> was asked to do, as it was typed.</summary>
internal sealed record CallSettings
{
    /// <summary>The server.</summary>
    public required string Address { get; init; }

    /// <summary><c>Service/Operation</c>.</summary>
    public required string Operation { get; init; }

    /// <summary><c>name=value</c>.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary><c>Name: value</c>.</summary>
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>Which prefix of <c>MapWeir</c> is meant; <c>null</c> where there is only one.</summary>
    public string? Prefix { get; init; }

    /// <summary>The most bytes of a JSON result, or of an item, in memory.</summary>
    public int MostBytes { get; init; } = AnswerPrinter.DefaultMostBytes;

    /// <summary>Items are printed as they come.</summary>
    public bool IsStream { get; init; }

    /// <summary>Nothing is made readable.</summary>
    public bool IsJson { get; init; }

    /// <summary>The call becomes a job.</summary>
    public bool IsJob { get; init; }

    /// <summary>The key by which a repeated submission finds the same job; <c>null</c> for a random one.</summary>
    public string? Key { get; init; }

    /// <summary>The job is not waited for.</summary>
    public bool IsNoWait { get; init; }
}
