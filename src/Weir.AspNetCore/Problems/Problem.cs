namespace Weir.AspNetCore.Problems;

/// <summary>Why a call failed, as HTTP describes it (RFC 9457). The same in every environment.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Code">A constant of <see cref="WeirCodes"/>.</param>
/// <param name="Detail">What happened this time, and the next step.</param>
internal sealed record Problem(int Status, string Code, string Detail)
{
    /// <summary>What the code means, the same for every call.</summary>
    internal string Title { get; init; } = ProblemTitles.Of(Code);

    /// <summary>Everything wrong with the arguments; <c>null</c> where that is not the problem.</summary>
    internal IReadOnlyList<BindingError>? BindingErrors { get; init; }

    /// <summary>When to try again; <c>null</c> sends no <c>Retry-After</c>.</summary>
    internal TimeSpan? RetryAfter { get; init; }

    /// <summary>The value of <c>Allow</c>; <c>null</c> sends none.</summary>
    internal string? Allow { get; init; }

    /// <summary>Headers that the operation chose; <c>null</c> adds none.</summary>
    internal IReadOnlyDictionary<string, string>? Headers { get; init; }

    /// <summary>The id of the crash report of a worker failure in the server's log; <c>null</c> where that is not the problem.</summary>
    internal string? Report { get; init; }

    /// <summary>The full name of the exception's type, if the operation declares it by <c>[Throws]</c>: a client throws the same; <c>null</c> otherwise.</summary>
    internal string? Thrown { get; init; }

    /// <summary>The contract of the operation as JSON, for a client that has another one; <c>null</c> otherwise.</summary>
    internal string? Contract { get; init; }

    /// <summary>The exception in full, where the option allows it; <c>null</c> otherwise.</summary>
    internal string? Exception { get; init; }
}
