using System.Globalization;
using System.Text;
using Microsoft.EntityFrameworkCore;
using Weir;

namespace Exports;

/// <summary>
/// Rows leave as the database returns them: no list of them exists. The same operation is a JSON array, NDJSON (<c>.ndjson</c>) and
/// server-sent events (<c>.sse</c>). When the client disconnects, the token that Weir gives the enumerator stops the command in the database.
/// </summary>
[Service("Sales")]
public sealed class SalesExport(SalesContext sales)
{
    [Get]
    public IAsyncEnumerable<Sale> Year(int year) =>
        sales.Sales.AsNoTracking().Where(sale => sale.Year == year).OrderBy(static sale => sale.Id).AsAsyncEnumerable();

    /// <summary>A format of one's own: the bytes are sent as they are.</summary>
    [Get]
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> Csv(int year, OperationContext context)
    {
        context.Headers["Content-Type"] = "text/csv; charset=utf-8";
        context.Headers["Content-Disposition"] = $"attachment; filename=sales-{year}.csv";
        yield return "id,article,amount\r\n"u8.ToArray();
        await foreach (var sale in Year(year).WithCancellation(context.CancellationToken))
        {
            yield return Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{sale.Id},\"{sale.Article}\",{sale.Amount}\r\n"));
        }
    }
}
