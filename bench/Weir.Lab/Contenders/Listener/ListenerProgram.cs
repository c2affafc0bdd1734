using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Listener;

/// <summary>Document 004's self-host: <c>HttpListener</c>, as the console programs of its day had it.</summary>
internal sealed class ListenerProgram : ContenderProgram
{
    private readonly HttpListener _listener = new();

    public override Task<ControlLine> StartAsync(ControlLine settings)
    {
        var port = FreePort();
        _listener.Prefixes.Add(string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}/"));
        _listener.Start();
        _ = AcceptAsync();
        return Task.FromResult(new ControlLine("ready").With("port", port));
    }

    public override ValueTask DisposeAsync()
    {
        _listener.Close();
        return base.DisposeAsync();
    }

    private async Task AcceptAsync()
    {
        while (_listener.IsListening)
        {
            HttpListenerContext context;
            try
            {
                context = await _listener.GetContextAsync();
            }
            catch (Exception exception) when (exception is HttpListenerException or ObjectDisposedException)
            {
                return;
            }

            _ = Task.Run(() => Answer(context));
        }
    }

    private static void Answer(HttpListenerContext context)
    {
        var query = context.Request.QueryString;
        var x = int.Parse(query["x"]!, CultureInfo.InvariantCulture);
        var y = int.Parse(query["y"]!, CultureInfo.InvariantCulture);
        var e = Enum.Parse<Fruit>(query["e"]!, ignoreCase: true);
        var body = JsonSerializer.SerializeToUtf8Bytes(Echo.Of(query["name"]!, x, y, e));
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.ContentLength64 = body.Length;
        context.Response.OutputStream.Write(body);
        context.Response.Close();
    }

    private static int FreePort()
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
