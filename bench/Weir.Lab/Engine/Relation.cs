namespace Weir.Lab.Engine;

/// <summary>How a promise's value stands to its limit.</summary>
internal enum Relation
{
    AtMost,
    AtLeast,
    Exactly,
}
