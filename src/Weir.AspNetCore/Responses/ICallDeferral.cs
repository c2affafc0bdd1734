using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Responses;

/// <summary>Answers calls in another way than by running them now. Asked for operations with a <see cref="JobAttribute"/> and verbs that are not safe only. Used concurrently.</summary>
internal interface ICallDeferral
{
    /// <summary>Whether it answers this request. Asked before its endpoint filters run.</summary>
    bool Takes(HttpContext http, Operation operation);

    /// <summary>Answers.</summary>
    /// <param name="request">Its arguments are bound and valid.</param>
    /// <exception cref="OperationCanceledException">The request was cancelled: the middleware that cancelled it answers.</exception>
    ValueTask AnswerAsync(OperationRequest request);
}
