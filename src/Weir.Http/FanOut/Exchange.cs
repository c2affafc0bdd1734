using System.Net;

namespace Weir.Http.FanOut;

/// <summary>Reads responses and makes results. Used concurrently.</summary>
/// <typeparam name="TValue">What is read from a response.</typeparam>
/// <typeparam name="TResult">The type of the results.</typeparam>
internal abstract class Exchange<TValue, TResult>(HttpClient client)
{
    /// <summary>Sends the requests.</summary>
    public HttpClient Client => client;

    /// <summary>Where a request goes; <c>null</c> where the address is missing.</summary>
    public Uri? AddressOf(HttpRequestMessage? request) => request?.RequestUri is { IsAbsoluteUri: true } absolute ? absolute : client.BaseAddress;

    /// <summary>Reads the response. What it throws is the failure of the request.</summary>
    public abstract ValueTask<TValue> ReadAsync(HttpResponseMessage response, CancellationToken cancellationToken);

    /// <summary>The result of a request whose response was read, which it releases unless it is part of the result.</summary>
    public abstract TResult Complete(in CallReport report, HttpResponseMessage response, TValue value);

    /// <summary>The result of a request that failed; its response is disposed.</summary>
    public abstract TResult Fail(in CallReport report, HttpStatusCode? statusCode, Exception failure);

    /// <summary>The result of a request that was not sent because it is equal to an earlier one.</summary>
    public abstract TResult Duplicate(long index, long first);

    /// <summary>No code takes this result: releases what it holds.</summary>
    public abstract void Drop(TResult result);
}
