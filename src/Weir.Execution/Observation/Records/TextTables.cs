namespace Weir.Execution.Observation.Records;

/// <summary>Which tables the text has below what is wrong.</summary>
internal enum TextTables
{
    /// <summary>All, each with its first rows.</summary>
    All,

    /// <summary>The pools and the lane, and the last workers that failed.</summary>
    Pools,

    /// <summary>The calls that run and wait.</summary>
    Calls,

    /// <summary>The operations that were called.</summary>
    Operations,

    /// <summary>What parts of the application add that the core does not know, such as jobs.</summary>
    Parts,
}
