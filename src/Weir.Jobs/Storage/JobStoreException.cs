namespace Weir.Jobs.Storage;

/// <summary>A store could not commit or read.</summary>
internal sealed class JobStoreException(string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>Whether the batch may have been applied all the same. <c>false</c>: nothing of it was.</summary>
    public bool IsUnknown { get; init; }

    /// <summary>Whether the store can never commit again in this process, after a failed sync for example.</summary>
    public bool IsFinal { get; init; }
}
