namespace Weir;

/// <summary>One binding error: one thing that is wrong with one argument.</summary>
public readonly struct BindingError : IEquatable<BindingError>
{
    /// <summary>Describes one binding error.</summary>
    /// <param name="name">The argument, with the path to the value: <c>person.tags[2]</c>.</param>
    /// <param name="source">Where it came from: <c>route</c>, <c>query</c>, <c>header</c>, <c>form</c>, <c>body</c>, <c>frame</c>; <c>code</c> where code made the call; <c>request</c> where it came from nowhere.</param>
    /// <param name="reason">One of the constants of <see cref="BindingErrorReason"/>.</param>
    /// <param name="expected">What was expected; with <see cref="BindingErrorReason.Validation"/> the message of what refused the value.</param>
    public BindingError(string name, string source, string reason, string expected)
    {
        Name = name;
        Source = source;
        Reason = reason;
        Expected = expected;
    }

    /// <summary>The argument, with the path to the value: <c>person.tags[2]</c>.</summary>
    public string Name { get; }

    /// <summary>Where it came from: <c>route</c>, <c>query</c>, <c>header</c>, <c>form</c>, <c>body</c>, <c>frame</c>; <c>code</c> where code made the call; <c>request</c> where it came from nowhere.</summary>
    public string Source { get; }

    /// <summary>One of the constants of <see cref="BindingErrorReason"/>.</summary>
    public string Reason { get; }

    /// <summary>What was expected; with <see cref="BindingErrorReason.Validation"/> the message of what refused the value.</summary>
    public string Expected { get; }

    /// <inheritdoc/>
    public bool Equals(BindingError other) =>
        Name == other.Name && Source == other.Source && Reason == other.Reason && Expected == other.Expected;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is BindingError other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(Name + "\n" + Reason);

    /// <inheritdoc/>
    public override string ToString() => Reason == BindingErrorReason.Validation ? $"{Name} ({Source}): {Expected}" : $"{Name} ({Source}): {Reason}, expected {Expected}";

    /// <summary>Whether two binding errors are equal.</summary>
    public static bool operator ==(BindingError left, BindingError right) => left.Equals(right);

    /// <summary>Whether two binding errors differ.</summary>
    public static bool operator !=(BindingError left, BindingError right) => !left.Equals(right);
}
