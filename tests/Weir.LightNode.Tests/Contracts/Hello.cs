namespace Weir.LightNode.Tests.Contracts;

/// <summary>The first contract of LightNode's tests. Its operations answer GET and POST, as all of LightNode's do by default.</summary>
[Get, Post]
public abstract class HelloOperations
{
    public string Say() => "Hello LightNode";

    public string Ping() => "Pong";

    public string Echo(string x) => x;

    public int ProcessId() => Environment.ProcessId;
}

[Service]
public sealed class Hello : HelloOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedHello : HelloOperations;
