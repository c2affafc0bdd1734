namespace Weir.Jobs.Running;

/// <summary>The stored arguments of a job could not be bound.</summary>
/// <param name="cause">What is wrong.</param>
/// <param name="isOfOtherVersion">Whether another version of the operation wrote them, so that a deployment may bring one that understands them.</param>
internal sealed class NotUnderstoodException(Exception cause, bool isOfOtherVersion) : Exception(cause.Message, cause)
{
    public bool IsOfOtherVersion => isOfOtherVersion;
}
