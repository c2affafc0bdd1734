namespace Weir.Lab.Engine;

/// <summary>How much of an experiment is run.</summary>
internal enum Scale
{
    /// <summary>The smallest sizes that still pass through every line; the figures mean nothing.</summary>
    Tiny,

    /// <summary>Everything within twelve minutes: small sizes, one round, and three where a ratio is promised.</summary>
    Quick,

    /// <summary>The sizes of the documents, three rounds and more.</summary>
    Full,
}
