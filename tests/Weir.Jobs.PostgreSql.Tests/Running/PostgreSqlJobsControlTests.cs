using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.PostgreSql.Tests.Running;

public sealed class PostgreSqlJobsControlTests(PostgreSqlServer server) : JobsControlCompliance
{
    private readonly string _schema = server.NewSchema();

    private protected override void Choose(WeirJobsOptions jobs) => jobs.UsePostgreSql(server.ConnectionString, options => options.Schema = _schema);
}
